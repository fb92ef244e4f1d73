import { Box, chakra, Flex } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ExactMoney, useExact } from '../../parts/exact-money.tsx'
import { TERMS, type Term } from './filters.ts'
import type { Statement } from './queries.ts'

const SIGNS = { credits: '+', charges: '−', refunds: '+', deductions: '−' } as const

/** The sum that proves a statement; each of its terms leaves only its own lines in view, and all of them again. */
export function Band(props: {
  statement: Statement
  term: Term | undefined
  onTerm: (term: Term | undefined) => void
  /** Takes the band's element, to watch its size. */
  watch: (element: Element | null) => (() => void) | undefined
}) {
  const { t } = useTranslation()
  const exact = useExact()
  const { statement, term, watch } = props
  const shown = TERMS.filter((one) => one !== 'deductions' || statement.deductions !== 0)
  return (
    <Flex
      ref={watch}
      as="fieldset"
      aria-label={t('statement.sum')}
      position="sticky"
      top="48px"
      zIndex="1"
      bg="bg.panel"
      borderWidth="1px"
      borderColor="border"
      borderRadius="l2"
      px="3"
      py="2"
      gapX="3"
      gapY="1"
      // A sum under each other on a phone.
      direction={{ base: 'column', sm: 'row' }}
      wrap={{ sm: 'wrap' }}
      align={{ base: 'stretch', sm: 'end' }}
      css={{ '@media print': { position: 'static' } }}
    >
      <Row>
        <Sign>{''}</Sign>
        <Figure label={t('statement.opening')} value={statement.opening} />
      </Row>
      {shown.map((one) => (
        <Row key={one}>
          <Sign>{SIGNS[one]}</Sign>
          <chakra.button
            type="button"
            textAlign="start"
            borderRadius="l1"
            flex={{ base: '1', sm: 'none' }}
            px={{ base: '0', sm: '1.5' }}
            cursor="pointer"
            {...(term === one
              ? { bg: 'teal.subtle', color: 'teal.fg' }
              : { _hover: { bg: 'bg.muted' } })}
            aria-label={`${t(`statement.${one}`)}: ${exact(statement[one])}`}
            aria-pressed={term === one}
            onClick={() => props.onTerm(term === one ? undefined : one)}
          >
            <Figure label={t(`statement.${one}`)} value={statement[one]} />
          </chakra.button>
        </Row>
      ))}
      <Row>
        <Sign>{'='}</Sign>
        <Figure label={t('statement.closing')} value={statement.closing} isStrong />
      </Row>
    </Flex>
  )
}

function Row({ children }: { children: ReactNode }) {
  return (
    <Flex gap="2" align={{ base: 'baseline', sm: 'end' }}>
      {children}
    </Flex>
  )
}

function Figure(props: { label: string; value: number; isStrong?: boolean }) {
  return (
    <Flex
      flex="1"
      direction={{ base: 'row', sm: 'column' }}
      justify={{ base: 'space-between', sm: 'flex-start' }}
    >
      <Box fontSize={{ base: 'sm', sm: 'xs' }} color="fg.muted">
        {props.label}
      </Box>
      <Box fontWeight={props.isStrong ? '650' : '500'}>
        <ExactMoney value={props.value} />
      </Box>
    </Flex>
  )
}

/** Keeps its place on a phone, where figures stand under each other. */
function Sign({ children }: { children: string }) {
  return (
    <Box
      color="fg.muted"
      aria-hidden
      w={{ base: '3', sm: 'auto' }}
      {...(children === '' ? { hideFrom: 'sm' } : {})}
    >
      {children}
    </Box>
  )
}
