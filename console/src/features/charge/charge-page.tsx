import { Box, Grid, Heading, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { Arithmetic } from '../../parts/charge/arithmetic.tsx'
import { AttemptList } from '../../parts/charge/attempt-list.tsx'
import type { Charge } from '../../parts/charge/charge.ts'
import { chargeQuery } from '../../parts/charge/charge-query.ts'
import { CopyTextButton } from '../../parts/copy.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { exactQuota, grouped, moneyString } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { AttemptBar } from './attempt-bar.tsx'
import { ChargeColumns } from './columns.tsx'
import { Origin } from './origin.tsx'
import { Postings } from './postings.tsx'
import { Recalculated } from './recalculation.tsx'
import { supportText } from './support-text.ts'

/**
 * The page that explains a request's charge, from upstream's own usage to the postings. The owner of the charge sees
 * it, too.
 */
export function ChargePage({ requestId }: { requestId: string }) {
  const { t } = useTranslation()
  const charge = useQuery(chargeQuery(requestId))
  return (
    <Page title={t('charge.title', { id: requestId })}>
      {charge.data ? (
        <Explained charge={charge.data} />
      ) : charge.data === null ? (
        <EmptyState title={t('charge.missing')} detail={t('charge.missingDetail')} />
      ) : charge.error ? (
        <ErrorState error={charge.error} onRetry={() => void charge.refetch()} />
      ) : (
        <SkeletonRows rows={12} height="24px" />
      )}
    </Page>
  )
}

function Explained({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const { quotaPerUnit } = useQuotaUnit()
  return (
    <Stack gap="4">
      <Sentence charge={charge} />
      <ChargeColumns charge={charge} />
      <Grid gap="4" templateColumns={{ base: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' }}>
        <Stack gap="4">
          {charge.arithmetic ? (
            <Section title={t('charge.arithmetic')}>
              <Arithmetic
                explanation={charge.arithmetic}
                charged={exactQuota(charge.amount, quotaPerUnit).quota}
              />
              <Text mt="2" color="fg.muted" fontSize="xs">
                {t('log.charged', exactQuota(charge.amount, quotaPerUnit))}
              </Text>
            </Section>
          ) : null}
          <Section title={t('charge.recalculation')}>
            <Recalculated requestId={charge.request_id} />
          </Section>
          {isAdmin ? (
            <Section title={t('charge.postings')}>
              <Postings requestId={charge.request_id} />
            </Section>
          ) : null}
        </Stack>
        <Stack gap="4">
          {charge.attempts.length > 0 ? (
            <Section title={t('charge.attempts')}>
              <AttemptBar attempts={charge.attempts} />
              <AttemptList attempts={charge.attempts} />
            </Section>
          ) : null}
          <Section title={t('charge.who')}>
            <Origin charge={charge} />
            {isAdmin ? (
              <Box mt="3">
                <CopyTextButton text={supportText(charge)}>
                  {t('charge.copyForSupport')}
                </CopyTextButton>
              </Box>
            ) : null}
          </Section>
        </Stack>
      </Grid>
    </Stack>
  )
}

/** The charge in one sentence: what it came to, and each kind with its rate. */
function Sentence({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  const parts = charge.arithmetic?.lines.map((line) =>
    t('charge.part', {
      count: grouped(line.count, 0),
      kind: lowered(t(`log.kind.${line.kind}`)),
      rate: line.rate,
    }),
  )
  return (
    <Text fontSize="md">
      {t('charge.sentence', {
        amount: moneyString(charge.amount, 'currency', quotaPerUnit),
        quota: grouped(charge.amount, 0),
        model: charge.model,
        parts: parts?.join(t('charge.partsJoin')) ?? t('charge.noParts'),
      })}
    </Text>
  )
}

/** As a word inside a sentence. */
const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Panel p="4">
      <Heading as="h2" size="sm" mb="2">
        {title}
      </Heading>
      {children}
    </Panel>
  )
}
