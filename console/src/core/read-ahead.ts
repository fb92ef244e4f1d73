import type { QueryClient } from '@tanstack/react-query'
import { pageSizeNow } from './page-size.ts'
import { isAdmin, isRoot } from './session.ts'

/** A screen that somebody goes to: its address, who they are, and the cache that the screen reads from. */
export interface Entered<Search = object, Params = object> {
  readonly client: QueryClient
  readonly search: Search
  readonly params: Params
  readonly isAdmin: boolean
  readonly isRoot: boolean
  /** Rows of a list's page. */
  readonly pageSize: number
}

/** A navigation, as the router describes it to `beforeLoad`. */
interface Navigation<Search, Params> {
  readonly cause: 'preload' | 'enter' | 'stay'
  readonly context: { readonly queryClient: QueryClient; readonly isBarred?: boolean }
  readonly search: Search
  readonly params: Params
}

/**
 * The `beforeLoad` of a screen: begins to read what the screen shows first while its code is still on its way, and
 * before anything of it is drawn. The module's `readAhead` asks by the screen's own queries, so that nothing is read
 * twice. Nobody waits for it, and its failures are the screen's to tell. A link that is only pointed at reads nothing;
 * filters of a screen that is there already are read by the screen itself.
 */
export function readingAhead<Search extends object, Params extends object>(
  load: () => Promise<{ readonly readAhead: (entered: Entered<Search, Params>) => unknown }>,
) {
  return ({ cause, context, search, params }: Navigation<Search, Params>): void => {
    if (cause !== 'enter' || context.isBarred) return
    load()
      .then(({ readAhead }) =>
        readAhead({
          client: context.queryClient,
          search,
          params,
          isAdmin: isAdmin(),
          isRoot: isRoot(),
          pageSize: pageSizeNow(search),
        }),
      )
      // The screen imports the same module, and reports that it cannot be had.
      .catch(() => undefined)
  }
}
