//! The signature, computed here by the book (RFC 2104) and not by the code under test.

use crate::log::Log;
use crate::receiver::{Answer, Receiver};
use crate::{limits, start, webhook};
use sa_api::sessions::Webhook;
use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};

fn hmac(key: &[u8], message: &[u8]) -> String {
    let mut block = [0_u8; 64];
    let hashed = Sha256::digest(key);
    let key = if key.len() > block.len() { &hashed[..] } else { key };
    block[..key.len()].copy_from_slice(key);
    let pass = |pad: u8, message: &[u8]| {
        let mut hasher = Sha256::new();
        hasher.update(block.map(|byte| byte ^ pad));
        hasher.update(message);
        hasher.finalize()
    };
    let outer = pass(0x5c, &pass(0x36, message));
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_measure_itself_is_right() {
    // RFC 4231, test cases 2 and 6.
    let short = hmac(b"Jefe", b"what do ya want for nothing?");
    assert_eq!(short, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    let long = hmac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First");
    assert_eq!(long, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

#[tokio::test]
async fn each_attempt_is_signed_with_its_own_time() {
    let longer_than_a_block = "k".repeat(100);
    for secret in ["whsec_test", "ä secret", longer_than_a_block.as_str()] {
        let receiver = Receiver::start([Answer::status(500)]).await;
        let log = Log::new();
        log.append_plans(2);
        let secret = secret.to_owned();
        let signed = Webhook { secret: Some(secret.clone()), ..webhook(&receiver) };
        let (_task, stop) = start(&log, signed, limits());
        for request in receiver.until(2).await {
            let timestamp = request.headers.get("x-sandbox-agent-timestamp").unwrap();
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
            assert!(now - timestamp.parse::<u64>().unwrap() < 60);
            let message = [timestamp.as_bytes(), b".", &request.body].concat();
            let expected = format!("v1={}", hmac(secret.as_bytes(), &message));
            assert_eq!(request.headers.get("x-sandbox-agent-signature"), Some(&expected));
        }
        stop.cancel();
    }
}
