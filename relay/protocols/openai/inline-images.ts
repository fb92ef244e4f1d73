import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { untranslatableError, type UpstreamError } from '../../upstream/errors.ts'
import { isUnusable } from '../send.ts'
import type { Outgoing, OutgoingOptions } from '../upstream-protocol.ts'

/** Longer bodies are not parsed on the serving thread. */
const BODY_BYTES_MAX = 1024 * 1024
/** Limits of one request, and of all its pictures as data. */
const IMAGES_MAX = 16
const DATA_LENGTH_MAX = 32 * 1024 * 1024
const IS_ADDRESS = /^https?:\/\//i
/** How bodies that are not parsed write a picture's address. */
const ADDRESSES = ['"url":"http', '"url": "http']

/** A chat whose pictures by address stand in it as data: its provider fetches none. Refused by name where that fails. */
export async function withInlineImages(
  making: Outgoing | UpstreamError | Promise<Outgoing | UpstreamError>,
  { fetchImage }: Pick<OutgoingOptions, 'fetchImage'>,
): Promise<Outgoing | UpstreamError> {
  const made = await making
  if (isUnusable(made)) return made
  if (made.body.length > BODY_BYTES_MAX) {
    return ADDRESSES.some((text) => made.body.includes(text)) ? TOO_LONG : made
  }
  const body = parseForeign(made.body.toString('utf8'))
  if (!isObject(body)) return made
  const urls = [...new Set(imagesIn(body).filter((url) => IS_ADDRESS.test(url)))]
  if (urls.length === 0) return made
  if (urls.length > IMAGES_MAX) return TOO_MANY
  const fetched = new Map<string, string>()
  let length = 0
  for (const url of urls) {
    const image = await fetchImage(url)
    if ('problem' in image) return refused(`a picture could not be fetched: ${image.problem}`)
    length += image.dataUrl.length
    if (length > DATA_LENGTH_MAX) return TOO_MANY
    fetched.set(url, image.dataUrl)
  }
  return { ...made, body: Buffer.from(JSON.stringify(withData(body, fetched))) }
}

const refused = (message: string): UpstreamError => untranslatableError('messages', message)
const TOO_LONG = refused(
  'pictures by address are fetched for this provider in requests up to 1 MiB only; send them as data URLs',
)
const TOO_MANY = refused(
  `pictures by address are fetched for this provider up to ${IMAGES_MAX} of 24 MB together; send them as data URLs`,
)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const urlOf = (part: unknown): string | null => {
  const image = isObject(part) && part['type'] === 'image_url' ? part['image_url'] : null
  const url = isObject(image) ? image['url'] : image
  return typeof url === 'string' ? url : null
}

const imagesIn = (body: JsonObject): readonly string[] =>
  listOf(body['messages'])
    .filter(isObject)
    .flatMap(({ content }) => listOf(content).flatMap((part) => urlOf(part) ?? []))

function withData(body: JsonObject, fetched: ReadonlyMap<string, string>): JsonObject {
  const messages = listOf(body['messages']).map((message) =>
    isObject(message) && Array.isArray(message['content'])
      ? { ...message, content: message['content'].map((part) => withDataIn(part, fetched)) }
      : message,
  )
  return { ...body, messages }
}

function withDataIn(part: unknown, fetched: ReadonlyMap<string, string>): unknown {
  const data = fetched.get(urlOf(part) ?? '')
  if (data === undefined || !isObject(part)) return part
  const image = part['image_url']
  return { ...part, image_url: { ...(isObject(image) ? image : {}), url: data } }
}
