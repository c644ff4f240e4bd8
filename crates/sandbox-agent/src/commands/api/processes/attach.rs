//! `sandbox-agent api processes attach`: another terminal's program in this one.

use super::exit_as;
use super::screen::Screen;
use crate::args::{AttachArgs, DetachKey};
use crate::commands::raw_mode::{self, RawMode};
use crate::commands::render::print_bytes;
use crate::commands::terminal::typed_bytes;
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use anyhow::Context;
use bytes::Bytes;
use sa_api::{ProcessTerminalSize, TerminalServerFrame};
use sa_client::{Client, ClientError, Terminal, TerminalEvent};
use std::io;
use tokio::signal::unix::{SignalKind, signal};

/// The end of the connection.
enum End {
    /// The process ended.
    Exit { code: Option<i32>, signal: Option<i32>, oom_killed: bool },
    /// The user left, or was sent away.
    Detached,
    /// The daemon closed the connection and did not say why.
    Closed,
}

/// Attaching without any flag.
pub(super) fn usual(id: String) -> AttachArgs {
    AttachArgs { id, detach_key: DetachKey::USUAL, scrollback: None }
}

/// Connects this terminal with the process's, until the process ends or the user detaches.
pub(super) async fn attach(client: &Client, args: AttachArgs) -> Result<(), Failure> {
    let mut terminal = client.attach_process_terminal(&args.id, args.scrollback).await?;
    let mut screen = Screen::default();
    let end = {
        // Dropped on every way out of this block, errors included.
        let raw = RawMode::enter().context("cannot use this terminal")?;
        let detach = args.detach_key.0.filter(|_| raw.is_some());
        let end = connect(&mut terminal, &mut screen, detach).await;
        if raw.is_some() && !matches!(end, Ok(End::Exit { .. })) {
            // Also when the connection broke; that the terminal is gone is no news then.
            let _ = print_bytes(&screen.reset());
        }
        end
    };
    match end? {
        End::Exit { code, signal, oom_killed } => {
            if oom_killed {
                diagnose!("[killed for want of memory]");
            }
            exit_as(code, signal)
        }
        End::Detached => {
            diagnose!("[detached from {}; it continues to run]", args.id);
            // The connection goes with this command; saying so first is politeness.
            let _ = terminal.close().await;
            Ok(())
        }
        End::Closed => Err(Failure::Failed(anyhow::anyhow!("the daemon closed the terminal's connection"))),
    }
}

async fn connect(terminal: &mut Terminal, screen: &mut Screen, detach: Option<u8>) -> Result<End, Failure> {
    let mut resized = signal(SignalKind::window_change())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut hung_up = signal(SignalKind::hangup())?;
    let mut keys = typed_bytes();
    let mut typing = true;
    if let Some(size) = raw_mode::size() {
        redraw(terminal, size).await?;
    }
    loop {
        tokio::select! {
            event = terminal.next() => match event? {
                Some(TerminalEvent::Output(bytes)) => show(screen, &bytes)?,
                Some(TerminalEvent::Notice(TerminalServerFrame::Ready { .. })) => {}
                Some(TerminalEvent::Notice(TerminalServerFrame::Error { message })) => {
                    diagnose!("\r\n[{message}]\r");
                }
                Some(TerminalEvent::Notice(TerminalServerFrame::Exit { exit_code, signal, oom_killed })) => {
                    return Ok(End::Exit { code: exit_code, signal, oom_killed });
                }
                None => return Ok(End::Closed),
            },
            typed = keys.recv(), if typing => match typed {
                Some(bytes) => {
                    let (bytes, leave) = up_to_key(bytes, detach);
                    if !bytes.is_empty() {
                        terminal.type_in(bytes).await?;
                    }
                    if leave {
                        return Ok(End::Detached);
                    }
                }
                None => typing = false,
            },
            _ = resized.recv() => if let Some(size) = raw_mode::size() {
                terminal.resize(size).await?;
            },
            _ = terminated.recv() => return Ok(End::Detached),
            _ = hung_up.recv() => return Ok(End::Detached),
        }
    }
}

/// Gives the terminal this one's size. A program is only notified of a size that differs, so it gets another one first: then
/// it draws its screen again, whatever this terminal has seen of it.
async fn redraw(terminal: &mut Terminal, size: ProcessTerminalSize) -> Result<(), ClientError> {
    let rows = if size.rows > 1 { size.rows - 1 } else { size.rows + 1 };
    terminal.resize(ProcessTerminalSize { rows, ..size }).await?;
    terminal.resize(size).await
}

fn show(screen: &mut Screen, bytes: &Bytes) -> io::Result<()> {
    screen.printed(bytes);
    print_bytes(bytes)
}

/// Returns the input before the detach key, and whether that key was in it.
fn up_to_key(mut typed: Bytes, detach: Option<u8>) -> (Bytes, bool) {
    match detach.and_then(|key| typed.iter().position(|&byte| byte == key)) {
        Some(at) => (typed.split_to(at), true),
        None => (typed, false),
    }
}
