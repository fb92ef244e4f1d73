import { Heading } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Self } from '../../core/contract.ts'
import { ROLE_ADMIN, ROLE_ROOT } from '../../core/contract.ts'
import { selfQuery } from '../../core/status.ts'
import { Id } from '../../parts/copy.tsx'
import { Count } from '../../parts/count.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/page.tsx'
import { Money } from '../../parts/money.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'

/** Who this is, what is left and what was used. */
export function AccountFacts() {
  const { t } = useTranslation()
  const self = useQuery(selfQuery)
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="3">
        {t('personal.account')}
      </Heading>
      {self.isPending ? <SkeletonRows rows={7} height="24px" /> : null}
      {self.isError ? <ErrorState error={self.error} onRetry={() => void self.refetch()} /> : null}
      {self.data ? <SelfFacts self={self.data} /> : null}
    </Panel>
  )
}

function SelfFacts({ self }: { self: Self }) {
  const { t } = useTranslation()
  return (
    <Facts
      facts={[
        { label: t('personal.username'), value: self.username },
        {
          label: t('personal.id'),
          value: <Id value={String(self.id)} label={t('personal.copyId')} />,
        },
        { label: t('personal.role'), value: t(`personal.${roleName(self.role)}`) },
        { label: t('personal.group'), value: self.group },
        {
          label: t('personal.available'),
          value: <Money kind="balance" value={self.quota - self.held} />,
        },
        { label: t('personal.held'), value: <Money value={self.held} /> },
        { label: t('personal.balance'), value: <Money kind="balance" value={self.quota} /> },
        { label: t('personal.used'), value: <Money value={self.used_quota} /> },
        { label: t('personal.requests'), value: <Count value={self.request_count} /> },
      ]}
    />
  )
}

function roleName(role: number): 'roleRoot' | 'roleAdmin' | 'roleUser' {
  if (role >= ROLE_ROOT) return 'roleRoot'
  return role >= ROLE_ADMIN ? 'roleAdmin' : 'roleUser'
}
