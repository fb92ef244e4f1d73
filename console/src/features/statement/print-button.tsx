import { Button } from '@chakra-ui/react'
import { Printer } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { NOT_PRINTED } from './print.ts'

/** Pages of lines that are loaded for print: 10,000 lines are some 200 sheets, for more there are the exports. */
const PAGES_MAX = 100

/**
 * Prints the whole statement: loads the pages that are not shown yet, then opens the browser's dialog. A page that failed
 * before is asked for again at the click; when it fails then, what is there is printed, and says so. Each query of lines
 * needs a button of its own (`key`).
 */
export function PrintButton({ pages }: { pages: LinePages }) {
  const { t } = useTranslation()
  const [clicks, setClicks] = useState(0)
  const printedRef = useRef(0)
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = pages
  const triedRef = useRef(0)
  const isShort = hasNextPage && (data?.pages.length ?? 0) < PAGES_MAX
  const isLacking = isShort && !isFetchNextPageError
  useEffect(() => {
    if (clicks === printedRef.current || isFetching) return
    const isFirstTry = triedRef.current !== clicks
    if (isLacking || (isShort && isFirstTry)) {
      triedRef.current = clicks
      void fetchNextPage()
      return
    }
    printedRef.current = clicks
    print()
  }, [clicks, isFetching, isShort, isLacking, fetchNextPage])
  return (
    <Button
      size="sm"
      variant="outline"
      css={NOT_PRINTED}
      loading={clicks > 0 && (isLacking || (isShort && isFetching))}
      disabled={data === undefined}
      onClick={() => setClicks(clicks + 1)}
    >
      <Printer size={15} aria-hidden />
      {t('statement.print')}
    </Button>
  )
}

/** The query of the lines, as far as printing goes. */
interface LinePages {
  readonly data: { readonly pages: readonly unknown[] } | undefined
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly isFetchNextPageError: boolean
  readonly fetchNextPage: () => unknown
}
