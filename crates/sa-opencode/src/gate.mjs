// Loaded into OpenCode by sandbox-agent. The server asks about each command that it finds in a line. A line in which it finds
// none, or only changes of directory, it runs unasked: `{touch,x}`, `> x`, `cd > x`. Such a line gets a first command that does
// nothing, to be asked about.
const unasked = /^(cd|chdir|popd|pushd|declare|typeset|export|readonly|local|unset|unsetenv|if|for|while|until|case|select|function)$/;
const plain = /^\s*(?:cd [\w./~-]+ && )?([\w./-]+)(?=[ \n]|$)/;

const isAskedAbout = (command) => {
  const [, program] = plain.exec(command) ?? [];
  return program !== undefined && !unasked.test(program) && !/[{}()[\]`$<>\\]|&(?!&)/.test(command);
};

export const SandboxAgent = async () => ({
  "tool.execute.before": async ({ tool }, { args }) => {
    if (tool !== "bash" || typeof args?.command !== "string" || isAskedAbout(args.command)) return;
    args.command = `:\n${args.command}`;
  },
});
