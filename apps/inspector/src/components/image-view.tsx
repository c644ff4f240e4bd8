// An image that the agent sent. Only data that came with the event is shown: an address would be a request elsewhere.

import type { ReactElement } from "react";
import type { FileSource } from "sandbox-agent";
import { Icon } from "./icons.tsx";

const SAFE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

export function ImageView(props: {
  source: FileSource;
  mimeType: string | undefined;
  alt: string;
}): ReactElement {
  const { source, mimeType = "", alt } = props;
  if (source.type === "base64" && SAFE.test(mimeType)) {
    return <img className="part-image" alt={alt} src={`data:${mimeType};base64,${source.data}`} />;
  }
  return (
    <span className="chip">
      <Icon name="read" />
      <span className="truncate">{source.type === "uri" ? source.uri : `${alt} (${mimeType})`}</span>
    </span>
  );
}
