/** What every chart of the dashboard has to know of the data behind it. */
export interface ChartState {
  readonly isLoading: boolean
  readonly error?: unknown
  readonly onRetry: () => void
  readonly isEmpty: boolean
  readonly emptyTitle: string
  readonly emptyDetail: string
}

/** The state of a chart over one query. */
export function chartState(
  query: {
    readonly isPending: boolean
    readonly error: unknown
    readonly data: unknown
    readonly refetch: () => unknown
  },
  isEmpty: boolean,
  emptyTitle: string,
  emptyDetail: string,
): ChartState {
  return {
    isLoading: query.isPending,
    // Figures that were read before stay in view when a later reading fails.
    ...(query.data === undefined ? { error: query.error } : {}),
    onRetry: () => void query.refetch(),
    isEmpty,
    emptyTitle,
    emptyDetail,
  }
}
