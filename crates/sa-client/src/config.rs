//! The operations on configuration that is kept for directories.

use crate::client::JSON;
use crate::{Client, ClientError};
use reqwest::{Method, RequestBuilder};
use sa_api::{McpConfigList, McpServerConfig, SkillsConfig, SkillsConfigList};

impl Client {
    pub async fn get_mcp_config(&self, directory: &str, name: &str) -> Result<McpServerConfig, ClientError> {
        self.ask(self.mcp(Method::GET, directory, name)?).await
    }

    /// Keeps an MCP server.
    pub async fn set_mcp_config(
        &self,
        directory: &str,
        name: &str,
        server: &serde_json::Value,
    ) -> Result<(), ClientError> {
        self.send(self.mcp(Method::PUT, directory, name)?.json(server)).await.map(drop)
    }

    /// Deletes an MCP server, if there is one of that name.
    pub async fn delete_mcp_config(&self, directory: &str, name: &str) -> Result<(), ClientError> {
        self.send(self.mcp(Method::DELETE, directory, name)?).await.map(drop)
    }

    /// All MCP servers of a directory.
    pub async fn list_mcp_configs(&self, directory: &str) -> Result<McpConfigList, ClientError> {
        let request = self.request(Method::GET, &["v1", "config", "mcp", "list"], JSON)?;
        self.ask(request.query(&[("directory", directory)])).await
    }

    /// One set of skills.
    pub async fn get_skills_config(&self, directory: &str, name: &str) -> Result<SkillsConfig, ClientError> {
        self.ask(self.skills(Method::GET, directory, name)?).await
    }

    /// Keeps a set of skills.
    pub async fn set_skills_config(
        &self,
        directory: &str,
        name: &str,
        skills: &serde_json::Value,
    ) -> Result<(), ClientError> {
        self.send(self.skills(Method::PUT, directory, name)?.json(skills)).await.map(drop)
    }

    /// Deletes a set of skills, if there is one of that name.
    pub async fn delete_skills_config(&self, directory: &str, name: &str) -> Result<(), ClientError> {
        self.send(self.skills(Method::DELETE, directory, name)?).await.map(drop)
    }

    /// All sets of skills of a directory.
    pub async fn list_skills_configs(&self, directory: &str) -> Result<SkillsConfigList, ClientError> {
        let request = self.request(Method::GET, &["v1", "config", "skills", "list"], JSON)?;
        self.ask(request.query(&[("directory", directory)])).await
    }

    fn mcp(&self, method: Method, directory: &str, name: &str) -> Result<RequestBuilder, ClientError> {
        let request = self.request(method, &["v1", "config", "mcp"], JSON)?;
        Ok(request.query(&[("directory", directory), ("mcpName", name)]))
    }

    fn skills(&self, method: Method, directory: &str, name: &str) -> Result<RequestBuilder, ClientError> {
        let request = self.request(method, &["v1", "config", "skills"], JSON)?;
        Ok(request.query(&[("directory", directory), ("skillName", name)]))
    }
}
