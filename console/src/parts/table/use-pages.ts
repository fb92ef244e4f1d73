import { useState } from 'react'
import { pageSizeOf } from '../../core/page-size.ts'
import { usePreference } from '../../core/preferences.ts'

/** Pages of rows that are all here: those of the page on show, and what its Pager takes. */
export function usePages<Row>(rows: readonly Row[]) {
  const [storedSize, storeSize] = usePreference('page-size', '10')
  const [wanted, setPage] = useState(1)
  const pageSize = pageSizeOf(storedSize)
  const page = Math.min(wanted, Math.max(1, Math.ceil(rows.length / pageSize)))
  const shown = rows.slice((page - 1) * pageSize, page * pageSize)
  return {
    shown,
    pager: {
      page,
      pageSize,
      shown: shown.length,
      total: rows.length,
      onPage: setPage,
      onPageSize: (size: number) => {
        storeSize(String(size))
        setPage(1)
      },
    },
  }
}
