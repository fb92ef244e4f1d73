import type { DomainEvent } from './event.ts'

/** By the data object itself: an event's data never change once it is decided. */
const TEXTS = new WeakMap<DomainEvent['data'], string>()

/** JSON of an event's data, made once for all who need it: its bytes are counted where it is decided, and then stored. */
export function dataText(data: DomainEvent['data']): string {
  const known = TEXTS.get(data)
  if (known !== undefined) return known
  const text = JSON.stringify(data)
  TEXTS.set(data, text)
  return text
}
