//! Many processes that come and go.

mod heavy {
    use crate::api::Api;
    use anyhow::Result;
    use sa_testkit::Daemon;
    use serde_json::json;

    /// The number of commands; ten times as many by hand.
    const RUNS: usize = 1000;
    /// The number of commands at once.
    const AT_ONCE: usize = 16;

    #[tokio::test]
    async fn short_commands_leave_no_zombie_and_no_descriptor() -> Result<()> {
        let runs = std::env::var("SA_RUNS").map_or(RUNS, |text| text.parse().unwrap());
        let daemon = Daemon::start().await?;
        let api = Api::of(&daemon);
        let settled = || anyhow::Ok((daemon.open_fds()?, daemon.threads()?, daemon.children().len()));
        for _ in 0..AT_ONCE * 2 {
            api.run(json!({"command": "true"})).await?;
        }
        sa_testkit::until("the warm-up to be over", || daemon.open_fds().is_ok_and(|open| open < 40)).await?;
        let (before, memory) = (settled()?, daemon.rss_bytes()?);
        let one = async |n: usize| -> Result<()> {
            let body = json!({"command": "sh", "args": ["-c", format!("echo {n}; exit {}", n % 7)]});
            if n.is_multiple_of(10) {
                let id = api.create(body).await?;
                let ended = api.ended(&id).await?;
                assert_eq!(ended["exitCode"], n % 7);
                assert_eq!(api.text(&id).await?, format!("{n}\n"));
                api.delete(&id).await?.expect_status(204)?;
            } else {
                let answer = api.run(body).await?;
                assert_eq!(
                    (&answer["exitCode"], &answer["stdout"]),
                    (&json!(n % 7), &json!(format!("{n}\n")))
                );
            }
            Ok(())
        };
        for start in (0..runs).step_by(AT_ONCE) {
            let batch = (start..runs.min(start + AT_ONCE)).map(one);
            futures_util::future::try_join_all(batch).await?;
        }
        sa_testkit::until("all to be as before", || settled().is_ok_and(|now| now <= before)).await?;
        assert!(daemon.children().iter().all(|process| !process.is_zombie()));
        let grown = daemon.rss_bytes()?.saturating_sub(memory);
        assert!(grown < 16 << 20, "{} KiB more memory", grown >> 10);
        Ok(())
    }
}
