import type { TFunction } from 'i18next'

/** A configured chat link with a token's key and the server's address filled in (seeds, token management). */
export function chatLink(
  template: string,
  { server, key }: { readonly server: string; readonly key: string },
): string {
  return template.replaceAll('{address}', encodeURIComponent(server)).replaceAll('{key}', key)
}

/** The configured chats as names and templates, in their order; those that come with Tollgate in the reader's language. */
export const chatsOf = (
  status: { readonly chats?: readonly Readonly<Record<string, string>>[] } | undefined,
  t: TFunction,
): readonly (readonly [string, string])[] =>
  (status?.chats ?? [])
    .flatMap((chat) => Object.entries(chat))
    .map(([name, template]) => {
      const known = CHATS_AT_FIRST.get(name)
      return [known ? t(`tokens.${known}`) : name, template] as const
    })

/** Chinese names of the option's default. */
const CHATS_AT_FIRST: ReadonlyMap<string, 'chatNextWeb' | 'chatLobe' | 'chatAma'> = new Map([
  ['ChatGPT Next Web 官方示例', 'chatNextWeb'],
  ['Lobe Chat 官方示例', 'chatLobe'],
  ['AMA 问天', 'chatAma'],
])
