import { z } from 'zod'

/** `data` of a list that comes in pages. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
  })
