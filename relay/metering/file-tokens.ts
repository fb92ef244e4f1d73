/** No prompt has more: it would not be answered (decision 5). */
const TOKENS_MAX = 2_000_000
/** Text and picture of a page (platform.claude.com/docs/en/build-with-claude/pdf-support). */
const TOKENS_PER_PAGE = 5_000
/** The usual tokens of a page, for a count. */
const TOKENS_PER_COUNTED_PAGE = 2_500
/** No vendor reads more pages of one file. */
const PAGES_MAX = 1_000
/** The size of a compressed page, as few bytes as tools write; where the pages themselves are compressed away. */
const BYTES_PER_PAGE = 2_000
/**
 * The tokens of a second of video (ai.google.dev/gemini-api/docs/video-understanding), in which encoders write no fewer
 * bytes than this.
 */
const VIDEO_TOKENS_PER_SECOND = 300
const VIDEO_BYTES_PER_SECOND = 15_000

/** The tokens of a file: a bound on them, and about as many as a provider will count. */
export interface FileTokens {
  readonly bound: number
  readonly counted: number
}

/** The tokens of a file that is named by its address or id, whose length is unknown here. */
export const FILE_ELSEWHERE: FileTokens = {
  bound: TOKENS_PER_PAGE,
  counted: TOKENS_PER_PAGE,
}

/**
 * The tokens of a document in base64, or in a data URL: by its pages where it is a PDF; any other has no more tokens than
 * bytes. '' = it is elsewhere.
 */
export function documentTokens(data: string): FileTokens {
  if (data === '') return FILE_ELSEWHERE
  const base64 = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data
  const bytes = bytesOf(base64)
  if (!base64.startsWith(PDF)) {
    return { bound: Math.min(bytes, TOKENS_MAX), counted: Math.min(bytes, TOKENS_PER_PAGE) }
  }
  const pages = Math.min(PAGES_MAX, pagesIn(Buffer.from(base64, 'base64')))
  return {
    bound: Math.min(TOKENS_MAX, pages * TOKENS_PER_PAGE),
    counted: pages * TOKENS_PER_COUNTED_PAGE,
  }
}

/** A bound on the tokens of a video in base64, or in a data URL, sound included; '' = it is elsewhere. */
export function videoTokens(data: string): number {
  if (data === '') return FILE_ELSEWHERE.bound
  return Math.ceil((bytesOf(data) / VIDEO_BYTES_PER_SECOND) * VIDEO_TOKENS_PER_SECOND)
}

/** `%PDF-` in base64. */
const PDF = 'JVBERi'
const bytesOf = (base64: string): number => Math.ceil((base64.length * 3) / 4)

/** As many pages as a PDF shows, by its own count or by the pages themselves; by its bytes where these are compressed. */
function pagesIn(pdf: Buffer): number {
  const text = pdf.toString('latin1')
  const shown = text.match(/\/Type\s{0,20}\/Page(?![A-Za-z])/g)?.length ?? 0
  const told = [...text.matchAll(/\/Count\s{0,20}(\d{1,6})/g)].map(([, count]) => Number(count))
  const isHidden = shown === 0 || text.includes('/ObjStm')
  const byBytes = isHidden ? Math.ceil(pdf.length / BYTES_PER_PAGE) : 0
  return told.reduce((most, count) => Math.max(most, count), Math.max(1, shown, byBytes))
}
