/** A configured chat link with a token's key and the server's address filled in (seeds, token management). */
export function chatLink(
  template: string,
  { server, key }: { readonly server: string; readonly key: string },
): string {
  return template.replaceAll('{address}', encodeURIComponent(server)).replaceAll('{key}', key)
}

/** The configured chats as names and templates, in their order. */
export const chatsOf = (
  status: { readonly chats?: readonly Readonly<Record<string, string>>[] } | undefined,
): readonly (readonly [string, string])[] =>
  (status?.chats ?? []).flatMap((chat) => Object.entries(chat))
