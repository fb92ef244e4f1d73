import type { JsonObject } from '../../json.ts'
import type { Citation, FoundPage, WebSearchPart } from '../chat/chat-part.ts'
import { memberOf, objectIn, objectsIn, textIn, wholeIn } from './names.ts'

/** A page, and where in the text it is cited. */
export type CitedPage = Omit<Citation, 'type' | 'block'>

/**
 * The pages that a text goes back to (ai.google.dev/gemini-api/docs/google-search): by the segments that each supports;
 * of the whole text where Google tells none.
 */
export function citationsOf(grounding: JsonObject, text: string): readonly CitedPage[] {
  const pages = objectsIn(memberOf(grounding, 'groundingChunks')).map(pageOf)
  const supports = objectsIn(memberOf(grounding, 'groundingSupports'))
  if (supports.length === 0) {
    return pages.flatMap((page) => (page === null ? [] : [{ ...page, start: 0, end: text.length }]))
  }
  const segments = supports.map((support) => {
    const segment = objectIn(support, 'segment')
    const places = memberOf(support, 'groundingChunkIndices')
    return {
      start: wholeIn(segment, 'startIndex') ?? 0,
      end: wholeIn(segment, 'endIndex') ?? Number.MAX_SAFE_INTEGER,
      places: Array.isArray(places) ? places.filter((place) => typeof place === 'number') : [],
    }
  })
  const units = unitsBefore(
    text,
    segments.flatMap(({ start, end }) => [start, end]),
  )
  return segments.flatMap(({ start, end, places }) =>
    places.flatMap((place) => {
      const page = pages[place] ?? null
      return page === null
        ? []
        : [{ ...page, start: units.get(start) ?? 0, end: units.get(end) ?? text.length }]
    }),
  )
}

/** The pages of the web that searches found. */
export const pagesOf = (grounding: JsonObject): readonly FoundPage[] =>
  objectsIn(memberOf(grounding, 'groundingChunks'))
    .map(pageOf)
    .filter((page) => page !== null)

/** Null = it is no page of the web. */
function pageOf(chunk: JsonObject): FoundPage | null {
  const web = objectIn(chunk, 'web')
  const url = textIn(web, 'uri')
  return url === '' ? null : { url, title: textIn(web, 'title') }
}

/** How many UTF-16 units stand before each place of a text, which Google counts in bytes. */
function unitsBefore(text: string, places: readonly number[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  let bytes = 0
  let units = 0
  for (const place of places.toSorted((one, other) => one - other)) {
    while (bytes < place && units < text.length) {
      const character = String.fromCodePoint(text.codePointAt(units) ?? 0)
      bytes += Buffer.byteLength(character)
      units += character.length
    }
    found.set(place, units)
  }
  return found
}

/** Brings the pages that an answer goes back to into Google's form, which counts the bytes of all its text. */
export class GroundingWriter {
  /** By block: the bytes before its text, and the text so far. */
  readonly #texts = new Map<number, { readonly from: number; text: string }>()
  readonly #chunks = new Map<string, { readonly place: number; readonly chunk: JsonObject }>()
  readonly #supports: JsonObject[] = []
  readonly #queries: string[] = []
  #bytes = 0

  begin(block: number): void {
    this.#texts.set(block, { from: this.#bytes, text: '' })
  }

  add(block: number, text: string): void {
    const written = this.#texts.get(block)
    if (written !== undefined) written.text += text
    this.#bytes += Buffer.byteLength(text)
  }

  /** A search that was made, with the pages that it found. */
  search({ query, pages }: WebSearchPart): void {
    this.#queries.push(query)
    for (const page of pages) this.#placeOf(page)
  }

  cite({ block, url, title, start, end }: Citation): void {
    const { from, text } = this.#texts.get(block) ?? { from: 0, text: '' }
    const place = this.#placeOf({ url, title })
    const segment = {
      startIndex: from + Buffer.byteLength(text.slice(0, start)),
      endIndex: from + Buffer.byteLength(text.slice(0, end)),
      text: text.slice(start, end),
    }
    this.#supports.push({ segment, groundingChunkIndices: [place] })
  }

  /** The candidate's member; none of an answer without searches and pages. */
  written(): JsonObject {
    if (this.#supports.length === 0 && this.#queries.length === 0) return {}
    const groundingChunks = [...this.#chunks.values()].map(({ chunk }) => chunk)
    return {
      groundingMetadata: {
        ...(this.#queries.length > 0 && { webSearchQueries: this.#queries }),
        groundingChunks,
        groundingSupports: this.#supports,
      },
    }
  }

  /** The place of a page among all; a new one gets the next. */
  #placeOf({ url, title }: FoundPage): number {
    const known = this.#chunks.get(url)
    if (known !== undefined) return known.place
    const place = this.#chunks.size
    this.#chunks.set(url, { place, chunk: { web: { uri: url, title } } })
    return place
  }
}
