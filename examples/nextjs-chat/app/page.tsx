import { redirect } from "next/navigation";

export const dynamic = "force-dynamic";

/** Starts a chat. */
export default function Page(): never {
  redirect(`/${crypto.randomUUID()}`);
}
