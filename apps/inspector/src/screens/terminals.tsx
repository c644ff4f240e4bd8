// Terminals and processes of the sandbox.

import type { ReactElement } from "react";
import { ProcessList } from "../components/process-list.tsx";
import TerminalPanel from "../components/terminal-panel.tsx";
import "./terminals.css";

export default function TerminalsScreen(): ReactElement {
  return (
    <div className="terminals">
      <div className="terminals-main">
        <TerminalPanel cwd={undefined} />
      </div>
      <ProcessList />
    </div>
  );
}
