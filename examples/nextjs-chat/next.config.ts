import type { NextConfig } from "next";

const config: NextConfig = { serverExternalPackages: ["sandbox-agent"] };

export default config;
