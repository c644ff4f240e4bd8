// Configuration of the daemon that the cases expect, as TOML. Its limits are small so that they can be reached.

export const CONFIG = `
[limits]
body-bytes = 1048576

[sessions]
queue = 2
events = 5000

[files]
file-bytes = 4194304
watches = 4
`;
