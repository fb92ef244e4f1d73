import { Box, Button, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import { useIsRoot } from '../../core/session.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Count } from '../../parts/count.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { Opens } from '../../parts/opens.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { ChangeTable } from './change-table.tsx'
import { ChargesLink } from './charges-link.tsx'
import { RevisionStatus } from './columns.tsx'
import { type PriceRevision, revisionQuery } from './queries.ts'

/** One revision: when and by whom, and every price that it changes; a planned one can be withdrawn. */
export function RevisionPanel({ revision }: { revision: PriceRevision }) {
  const { t } = useTranslation()
  const isRoot = useIsRoot()
  const moment = (at: number | null) => (at === null ? null : <Time seconds={at / 1000} />)
  return (
    <Stack gap="4" fontSize="sm">
      <Box>
        <RevisionStatus revision={revision} />
      </Box>
      <Facts
        facts={[
          { label: t('prices.by'), value: revision.username },
          { label: t('prices.saved'), value: moment(revision.at) },
          {
            label: t(revision.status === 'planned' ? 'prices.effective' : 'prices.from'),
            value: moment(revision.in_force_at ?? revision.effective_at),
          },
          { label: t('prices.until'), value: moment(revision.until) },
          { label: t('prices.withdrawnAt'), value: moment(revision.withdrawn_at) },
          { label: t('prices.withdrawnBy'), value: revision.withdrawn_by_name },
          { label: t('prices.note'), value: revision.note },
          {
            label: t('prices.charges'),
            value: (
              <ChargesLink revision={revision}>
                <Count value={revision.charges} />
              </ChargesLink>
            ),
          },
          { label: t('prices.chargedQuota'), value: <Money value={revision.quota} /> },
          {
            label: t('prices.event'),
            value:
              revision.number === 0 ? null : (
                <Opens>
                  <Link
                    to="/audit/events/$position"
                    params={{ position: String(revision.revision) }}
                  >
                    {grouped(revision.revision, 0)}
                  </Link>
                </Opens>
              ),
          },
        ]}
      />
      {revision.number === 0 ? (
        <Text color="fg.muted">{t('prices.defaultsHelp')}</Text>
      ) : (
        <Changes revision={revision} />
      )}
      {revision.number === 0 ? null : (
        <Button asChild size="sm" variant="outline" alignSelf="start">
          <Link to="/replays" search={{ add: true, revision: revision.revision }}>
            <RotateCcw size={15} aria-hidden />
            {t('prices.replay')}
          </Link>
        </Button>
      )}
      {isRoot && revision.status === 'planned' ? <Withdraw revision={revision} /> : null}
    </Stack>
  )
}

function Changes({ revision }: { revision: PriceRevision }) {
  const full = useQuery(revisionQuery(revision.revision))
  if (full.data?.changes) return <ChangeTable changes={full.data.changes} />
  return full.error ? (
    <ErrorState error={full.error} onRetry={() => void full.refetch()} />
  ) : (
    <SkeletonRows rows={6} height="24px" />
  )
}

function Withdraw({ revision: { number } }: { revision: PriceRevision }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const withdraw = useMutation({
    mutationFn: () => post(pathOf('/api/ledger/prices/{number}/withdraw', { number })),
    onSuccess: () => notifySuccess(t('prices.withdrawn', { number })),
    onSettled: () => {
      setAsking(false)
      return client.invalidateQueries({ queryKey: ['prices'] })
    },
  })
  return (
    <>
      <Button
        size="sm"
        variant="outline"
        color="fg.error"
        alignSelf="start"
        onClick={() => setAsking(true)}
      >
        {t('prices.withdraw')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        isDanger
        title={t('prices.withdrawTitle', { number })}
        consequence={t('prices.withdrawConsequence')}
        confirmLabel={t('prices.withdraw')}
        isBusy={withdraw.isPending}
        onConfirm={() => withdraw.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
