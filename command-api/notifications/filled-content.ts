import { escapeHtml } from '../mail/html.ts'
import type { NoticeText } from './notifier.ts'

const PLACEHOLDER = '{{value}}'

/** The content with its values in place, as HTML. Values are plain texts: nothing in them is taken for markup. */
export const filledHtml = ({ content, values }: NoticeText): string =>
  fill(content, values, escapeHtml)

/** The same for readers without HTML: without tags, and without the values inside of them (a link's address). */
export function filledText({ content, values }: NoticeText): string {
  const seen: string[] = []
  let isInTag = false
  const pieces = content.split(PLACEHOLDER)
  for (const [at, piece] of pieces.entries()) {
    const last = piece[Math.max(piece.lastIndexOf('<'), piece.lastIndexOf('>'))]
    if (last !== undefined) isInTag = last === '<'
    if (at < pieces.length - 1 && !isInTag) seen.push(values[at] ?? '')
  }
  const withoutTags = fill(content, values, () => PLACEHOLDER)
    .replaceAll(/<br\s*\/?>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
  return fill(withoutTags, seen, (value) => value)
}

/** A value that is missing leaves its place empty. */
const fill = (
  content: string,
  values: readonly string[],
  write: (value: string) => string,
): string =>
  content
    .split(PLACEHOLDER)
    .map((piece, at) => (at === 0 ? piece : write(values[at - 1] ?? '') + piece))
    .join('')
