import type { BareEvent, Position } from '@tollgate/domain/event.ts'
import { type ColumnFilter, type ColumnPage, columnsOf } from '@tollgate/domain/event-columns.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { joinStreams } from '../columns/page-links.ts'
import type { LogLinks } from '../log-links.ts'
import { checkLimit, checkPosition } from '../read-arguments.ts'
import type { PageRange, ScanColumns } from './scan-columns.ts'

export interface ColumnReading {
  readonly scan: ScanColumns
  /** The same as those of `readBare`. */
  readonly links: () => LogLinks
  readonly readBare: NonNullable<EventStore['readBare']>
}

/** See EventStore.readColumns. */
export function columnReader({
  scan,
  links,
  readBare,
}: ColumnReading): NonNullable<EventStore['readColumns']> {
  return async (after, filter, limit) => {
    checkPosition(after)
    checkLimit(limit)
    const { page, isOdd, ends, streams } = await scan(after, filter, limit)
    if (!isOdd && (await joinStreams(ends, links(), streams))) return page
    return readOneByOne({ after, limit }, filter, page)
  }

  /** The columns of a page whose events may not all be Tollgate's. */
  async function readOneByOne(
    { after, limit }: PageRange,
    filter: ColumnFilter,
    { position, last, events }: ColumnPage,
  ): Promise<ColumnPage> {
    const types = Object.keys(filter.members)
    const found: BareEvent[] = []
    for (let from: Position = after; from < position;) {
      const read = await readBare(from, { streamPrefixes: filter.streamPrefixes, types }, limit)
      found.push(...read.filter((event) => event.position <= position))
      from = read.length < limit ? position : (read.at(-1)?.position ?? position)
    }
    return { ...columnsOf(found, filter, position), last, events }
  }
}
