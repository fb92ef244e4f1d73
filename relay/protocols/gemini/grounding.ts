import type { JsonObject } from '../../json.ts'
import type { Citation } from '../chat/chat-part.ts'
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

/** Null = it is no page of the web. */
function pageOf(chunk: JsonObject): Pick<CitedPage, 'url' | 'title'> | null {
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
  #bytes = 0

  begin(block: number): void {
    this.#texts.set(block, { from: this.#bytes, text: '' })
  }

  add(block: number, text: string): void {
    const written = this.#texts.get(block)
    if (written !== undefined) written.text += text
    this.#bytes += Buffer.byteLength(text)
  }

  cite({ block, url, title, start, end }: Citation): void {
    const { from, text } = this.#texts.get(block) ?? { from: 0, text: '' }
    const { place, chunk } = this.#chunks.get(url) ?? {
      place: this.#chunks.size,
      chunk: { web: { uri: url, title } },
    }
    this.#chunks.set(url, { place, chunk })
    const segment = {
      startIndex: from + Buffer.byteLength(text.slice(0, start)),
      endIndex: from + Buffer.byteLength(text.slice(0, end)),
      text: text.slice(start, end),
    }
    this.#supports.push({ segment, groundingChunkIndices: [place] })
  }

  /** The candidate's member; none of an answer without pages. */
  written(): JsonObject {
    if (this.#supports.length === 0) return {}
    const groundingChunks = [...this.#chunks.values()].map(({ chunk }) => chunk)
    return { groundingMetadata: { groundingChunks, groundingSupports: this.#supports } }
  }
}
