import type { HoldId } from '@tollgate/domain/ids.ts'
import type { HoldService } from './hold-service.ts'

/** Holds are read and noticed in pages of this many. */
const PAGE = 1_000

/** Open holds as a read model knows them, in order of their ids. */
export type OpenHoldsPage = (asked: {
  readonly partitions: readonly number[]
  /** '' = from the first. */
  readonly after: string
  readonly limit: number
}) => Promise<readonly HoldId[]>

/**
 * Tells the hold service of all open holds of the partitions that are owned here: after a take-over nothing else does,
 * when their relay is gone as well (architecture 6, rule 7). To be called every half minute; a hold that has ended
 * since the read model saw it does no harm. Answers how many were looked at.
 */
export async function sweepOpenHolds(
  owned: () => readonly number[],
  holdService: Pick<HoldService, 'noticeOpenHolds'>,
  openHolds: OpenHoldsPage,
  pageSize = PAGE,
): Promise<number> {
  let count = 0
  let page: readonly HoldId[] = []
  do {
    page = await openHolds({ partitions: owned(), after: page.at(-1) ?? '', limit: pageSize })
    holdService.noticeOpenHolds(page)
    count += page.length
  } while (page.length === pageSize)
  return count
}
