import { preference } from './preferences.ts'

/** The page sizes of the seeds; the choice is remembered under the local key `page-size`. */
export const PAGE_SIZES = [10, 20, 50, 100] as const
/** The size until the user chooses. */
const PAGE_SIZE_DEFAULT = 10

/** A page size from a text or number; anything that is not offered becomes the default. */
export function pageSizeOf(value: unknown): number {
  return PAGE_SIZES.find((size) => size === Number(value)) ?? PAGE_SIZE_DEFAULT
}

/** Rows of a list's page: by its address, else as chosen last. */
export const pageSizeNow = ({ size }: { readonly size?: number }): number =>
  pageSizeOf(size ?? preference('page-size'))
