import { usePreference } from '../../core/preferences.ts'
import { PAGE_SIZE_DEFAULT, pageSizeOf } from '../table/pager.tsx'
import type { AnySearch } from './filters.ts'

/** Rows of a list's page: by its address, else as chosen last. */
export function usePageSize({ size }: AnySearch): number {
  const [stored] = usePreference('page-size', String(PAGE_SIZE_DEFAULT))
  return pageSizeOf(size ?? stored)
}
