import { z } from 'zod'

const envelope = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.unknown().optional(),
})
export type VisitorAnswer = z.infer<typeof envelope> & { readonly status: number }

let visitors = 0

/**
 * A request of somebody who is signed in nowhere and comes from an address of their own, as long as the product believes
 * 127.0.0.1 to be a proxy (TRUSTED_PROXIES): for tests that are not about the limits by address. It also claims to have
 * come for another host.
 */
export async function sendAsVisitor(
  address: string,
  { method = 'GET', body, language = 'zh-CN' }: VisitorRequest = {},
): Promise<VisitorAnswer> {
  const visitor = ++visitors
  const answer = await fetch(address, {
    method,
    headers: {
      'x-forwarded-for': `10.1.${visitor >> 8}.${visitor & 255}`,
      'x-forwarded-host': 'evil.example.com',
      'accept-language': language,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, ...envelope.parse(await answer.json()) }
}

export interface VisitorRequest {
  readonly method?: 'GET' | 'POST'
  readonly body?: unknown
  readonly language?: string
}

/** The code in the HTML of a verification mail; '' when there is none. */
export const codeIn = (html = ''): string => /<strong[^>]*>([0-9a-f]{6})</.exec(html)?.[1] ?? ''

/** The token in the text of a reset mail; '' when there is none. */
export const resetTokenIn = (text = ''): string => /token=([0-9a-f]{32})/.exec(text)?.[1] ?? ''
