import { imageDimensionsFromData } from 'image-dimensions'
import { isObject } from '../json.ts'

/** Sides of a picture in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The tokens of one picture of unknown size: as of one of 1024 × 1024. */
const TOKENS_OF_UNKNOWN_SIZE = 765
const TOKENS_OF_LOW_DETAIL = 85
const TOKENS_OF_GLM_4V = 1_047
const SHORT_SIDE_MAX = 768
const TILE_SIDE = 512
/** Base64 text read for a picture's size: in a JPEG it stands behind the colour profile and a thumbnail. */
const HEAD_CHARACTERS = 256 * 1024

/**
 * The tokens of one `image_url` part by tiles (relay-and-billing.md 4.11). The size is read from the head of a data URL;
 * nothing is downloaded.
 */
export function imageTokens(model: string, imageUrl: unknown): number {
  if (model === 'glm-4v') return TOKENS_OF_GLM_4V
  if (isObject(imageUrl) && imageUrl['detail'] === 'low') return TOKENS_OF_LOW_DETAIL
  const size = sizeInDataUrl(isObject(imageUrl) ? imageUrl['url'] : imageUrl)
  return size === null ? TOKENS_OF_UNKNOWN_SIZE : tiledTokens(model, size)
}

/** Scaled so that the short side is at most 768 pixels, then so much for each tile of 512 × 512 and a base. */
export function tiledTokens(model: string, { width, height }: ImageSize): number {
  const short = Math.min(width, height)
  const long = Math.max(width, height)
  const scale = Math.max(1, short / SHORT_SIDE_MAX)
  const tiles = tilesIn(short / scale) * tilesIn(Math.ceil(long / scale))
  const [perTile, base] = model.startsWith('gpt-4o-mini') ? [5_667, 2_833] : [170, 85]
  return tiles * perTile + base
}

const tilesIn = (side: number): number => Math.ceil(side / TILE_SIDE)

function sizeInDataUrl(url: unknown): ImageSize | null {
  if (typeof url !== 'string') return null
  const head = /^data:[^,]{0,200};base64,/i.exec(url.slice(0, 300))?.[0]
  if (head === undefined) return null
  const bytes = Buffer.from(url.slice(head.length, head.length + HEAD_CHARACTERS), 'base64')
  const size = dimensions(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : null
}

function dimensions(bytes: Uint8Array): ImageSize | undefined {
  try {
    return imageDimensionsFromData(bytes)
  } catch {
    // A head that is cut short or forged tells no size.
    return undefined
  }
}
