import { isObject, type JsonObject } from '../../json.ts'

/**
 * The signature of the thought behind a call, where Google's translation to OpenAI puts it and clients send it back
 * (ai.google.dev/gemini-api/docs/thought-signatures); '' = none.
 */
export function signatureOf({ extra_content: extra }: JsonObject): string {
  const google = isObject(extra) ? extra['google'] : null
  const signature = isObject(google) ? google['thought_signature'] : null
  return typeof signature === 'string' ? signature : ''
}
