import type { JsonObject } from '../../json.ts'
import { memberOf, objectIn, textIn } from './names.ts'
import { partsIn, requestIn } from './prompt.ts'

/** Names of objects in a request that would be read with the rights of the channel's key. */
export function ownedObjects(body: JsonObject): readonly string[] {
  const cached = memberOf(requestIn(body), 'cachedContent') ?? null
  return [
    ...(cached === null ? [] : ['cachedContent']),
    ...(partsIn(body).some(isOwnedFile) ? ['fileData'] : []),
  ]
}

/** Whether a part is a file that lies with Google. */
export const isOwnedFile = (part: JsonObject): boolean =>
  OWNED_FILE.test(textIn(objectIn(part, 'fileData'), 'fileUri'))

/** Files of the Files API, and of Google's storage. */
const OWNED_FILE = /^(?:files\/|gs:|https:\/\/generativelanguage\.googleapis\.com\/)/i
