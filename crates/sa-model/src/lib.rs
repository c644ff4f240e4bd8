//! A scripted model server: the model APIs that agents call, on loopback, played by the prompt.
