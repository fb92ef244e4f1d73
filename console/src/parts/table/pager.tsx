import { Flex, Text } from '@chakra-ui/react'
import { ChevronLeft, ChevronRight, ChevronsLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PAGE_SIZES, pageSizeOf } from '../../core/page-size.ts'
import { BusyButton } from '../busy-button.tsx'
import { Select } from '../choice-fields.tsx'
import { grouped } from '../quota-format.ts'

/**
 * Previous, next, page size and which rows are shown. Without a total, the next page exists while this one is full, and
 * of how many is known on the last page alone.
 */
export function Pager(props: {
  page: number
  pageSize: number
  shown: number
  total?: number
  onPage: (page: number) => void
  onPageSize: (size: number) => void
}) {
  const { t } = useTranslation()
  const { page, pageSize, shown, total } = props
  const first = (page - 1) * pageSize + 1
  const last = first + shown - 1
  const hasNext = total === undefined ? shown >= pageSize : last < total
  const text = t('table.range', {
    first: grouped(first, 0),
    last: grouped(last, 0),
    total: total === undefined && hasNext ? `${grouped(last, 0)}+` : grouped(total ?? last, 0),
  })
  return (
    <Flex
      align="center"
      justify="flex-end"
      // On a phone all of it is one line, also within another card.
      gap={{ base: '1.5', sm: '2' }}
      px={{ base: '2', sm: '3' }}
      py="2"
      wrap="wrap"
      borderTopWidth="1px"
      borderColor="border"
    >
      <Text
        color="fg.muted"
        fontVariantNumeric="tabular-nums"
        fontSize={{ base: 'xs', sm: 'sm' }}
        me="auto"
      >
        {shown === 0 ? '' : text}
      </Text>
      <SizeChoice pageSize={pageSize} onPageSize={props.onPageSize} />
      <Flex gap="1">
        <Turn
          label={t('table.previous')}
          isLocked={page <= 1}
          onClick={() => props.onPage(page - 1)}
        >
          <ChevronLeft size={15} />
        </Turn>
        <Turn label={t('table.next')} isLocked={!hasNext} onClick={() => props.onPage(page + 1)}>
          <ChevronRight size={15} />
        </Turn>
      </Flex>
    </Flex>
  )
}

/** The same for a list that is read from a cursor on: to its beginning, and to what comes after this page. */
export function CursorPager(props: {
  pageSize: number
  /** Null on the last page. */
  next: string | null
  isFirst: boolean
  onPage: (place: { after?: string }) => void
  onPageSize: (size: number) => void
}) {
  const { t } = useTranslation()
  const { next } = props
  return (
    <Flex
      align="center"
      justify="flex-end"
      gap="2"
      px="3"
      py="2"
      borderTopWidth="1px"
      borderColor="border"
    >
      <SizeChoice pageSize={props.pageSize} onPageSize={props.onPageSize} />
      <Turn label={t('table.newest')} isLocked={props.isFirst} onClick={() => props.onPage({})}>
        <ChevronsLeft size={15} />
      </Turn>
      <Turn
        label={t('table.next')}
        isLocked={next === null}
        onClick={() => next !== null && props.onPage({ after: next })}
      >
        <ChevronRight size={15} />
      </Turn>
    </Flex>
  )
}

/** A button to another page. On the last page of its way it is locked and keeps the focus. */
function Turn(props: {
  label: string
  isLocked: boolean
  onClick: () => void
  children: ReactNode
}) {
  return (
    <BusyButton
      size="xs"
      px="0"
      variant="outline"
      aria-label={props.label}
      isBusy={false}
      isLocked={props.isLocked}
      onClick={props.onClick}
    >
      {props.children}
    </BusyButton>
  )
}

function SizeChoice(props: { pageSize: number; onPageSize: (size: number) => void }) {
  const { t } = useTranslation()
  return (
    <Select
      label={t('table.pageSize')}
      width="94px"
      value={String(props.pageSize)}
      onChange={(size) => props.onPageSize(pageSizeOf(size))}
      options={PAGE_SIZES.map((size) => ({
        value: String(size),
        label: t('table.perPage', { size }),
      }))}
    />
  )
}
