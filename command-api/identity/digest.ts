import { createHash } from 'node:crypto'

/** Stands for a name or an e-mail where the text itself has no business, such as in the key of a limit. */
export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url')
