import { pageSizeOf } from '../../core/page-size.ts'
import { usePreference } from '../../core/preferences.ts'
import type { AnySearch } from './filters.ts'

/** Rows of a list's page: by its address, else as chosen last. */
export function usePageSize({ size }: AnySearch): number {
  const [stored] = usePreference('page-size', '')
  return pageSizeOf(size ?? stored)
}
