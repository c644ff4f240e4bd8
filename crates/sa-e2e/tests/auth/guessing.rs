//! Wrong tokens are limited where guessing could succeed, and only there.

use anyhow::Result;
use sa_testkit::{Daemon, until};

const LONG: &str = "testkit-token-of-many-characters";

#[tokio::test]
async fn a_short_token_cannot_be_guessed_by_trying() -> Result<()> {
    let daemon = Daemon::builder().token("0042").puppet(&[]).start().await?;
    until("the warning", || daemon.stderr().contains("can be guessed")).await?;
    assert!(!daemon.stderr().contains("0042"), "{}", daemon.stderr());
    let mut refused = 0;
    for number in 0..60 {
        let guess = format!("{:04}", 1000 + number);
        let http = daemon.http().with_token(Some(&guess));
        // Each place that takes a token counts.
        let status = match number % 3 {
            0 => http.get("/v1/agents").send().await?.status,
            1 => {
                let nobody = http.with_token(None);
                nobody.get("/v1/agents").header("x-sandbox-agent-token", &guess).send().await?.status
            }
            _ => {
                let address = format!("/v1/acp/one?agent=puppet&access_token={guess}");
                match http.with_token(None).ws(&address).attempt().await? {
                    Ok(_) => panic!("it opened"),
                    Err(reply) => reply.status,
                }
            }
        };
        assert!(status == 401 || status == 429, "{number}: {status}");
        refused += usize::from(status == 429);
    }
    assert!(refused >= 30, "only {refused} of 60 attempts were refused");
    // The right one is not even compared now, so that no answer confirms it.
    let right = daemon.http().get("/v1/agents").send().await?;
    right.expect_problem(429, "too_many_requests")?;
    daemon.http().with_token(None).get("/v1/health").send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn each_of_many_tokens_in_one_request_counts() -> Result<()> {
    let daemon = Daemon::builder().token("0042").start().await?;
    let nobody = daemon.http().with_token(None);
    let guesses = (0..60).map(|number| format!("{:04}", 1000 + number));
    let request = guesses.fold(nobody.get("/v1/agents"), |request, guess| {
        request.also_header("x-sandbox-agent-token", &guess)
    });
    request.send().await?.expect_problem(429, "too_many_requests")?;
    Ok(())
}

#[tokio::test]
async fn the_token_of_a_gateway_is_no_wrong_one() -> Result<()> {
    let daemon = Daemon::builder().token("0042").start().await?;
    for _ in 0..60 {
        let behind_gateway = daemon.http().with_token(Some("token-of-the-gateway")).get("/v1/agents");
        behind_gateway.header("x-sandbox-agent-token", "0042").send().await?.expect_status(200)?;
    }
    Ok(())
}

#[tokio::test]
async fn requests_without_a_token_lock_nobody_out() -> Result<()> {
    let daemon = Daemon::builder().token("0042").start().await?;
    for _ in 0..60 {
        let reply = daemon.http().with_token(None).get("/v1/agents").send().await?;
        reply.expect_problem(401, "token_invalid")?;
    }
    daemon.http().get("/v1/agents").send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn a_long_token_keeps_working_under_wrong_ones() -> Result<()> {
    let daemon = Daemon::builder().token(LONG).start().await?;
    for number in 0..200 {
        let http = daemon.http().with_token(Some(&format!("{LONG}{number}")));
        http.get("/v1/agents").send().await?.expect_problem(401, "token_invalid")?;
    }
    daemon.http().get("/v1/agents").send().await?.expect_status(200)?;
    assert!(!daemon.stderr().contains("can be guessed"), "{}", daemon.stderr());
    Ok(())
}
