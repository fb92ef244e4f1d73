import { edit } from '../mutation.ts'
import { READ_BACK } from './files.ts'

/** A stream is read backwards from wherever the reader has its end. */
export const BELIEVES_READER = [
  edit(
    READ_BACK,
    'isThere ||= event.revision === head.revision && event.metadata.hash === head.hash',
    'isThere = true',
  ),
  edit(READ_BACK, 'if (!isThere) {', 'if (false) {'),
] as const
