import fc from 'fast-check'
import type { Citation } from '@tollgate/relay/protocols/chat/chat-part.ts'

/** Any pages that a text of some pieces may cite, for round trips; a page has one title. */
export const citedPages = fc.array(
  fc.record({ url: fc.string({ minLength: 1, unit: 'grapheme' }), from: fc.nat(9), to: fc.nat(9) }),
  { maxLength: 3 },
)
type CitedPage = typeof citedPages extends fc.Arbitrary<ReadonlyArray<infer Made>> ? Made : never

/** The citations of a block's text, each from where a piece begins to where one ends. */
export function citationsOf(
  block: number,
  pieces: readonly string[],
  pages: readonly CitedPage[],
): readonly Citation[] {
  const bounds = pieces.reduce((all, piece) => [...all, (all.at(-1) ?? 0) + piece.length], [0])
  return pages.map(({ url, from, to }) => {
    const places = [from, to].map((place) => bounds[place % bounds.length] ?? 0)
    const [start, end] = [Math.min(...places), Math.max(...places)]
    return { type: 'citation', block, url, title: `About ${url}`, start, end }
  })
}
