import { Box, Button, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Self } from '../../core/contract.ts'
import { Card } from '../../parts/card.tsx'
import { CopyBox } from '../../parts/copy-box.tsx'
import { Count } from '../../parts/count.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Money } from '../../parts/money.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { affCodeQuery } from './queries.ts'
import { TransferDialog } from './transfer-dialog.tsx'

/** The link that invites others, what it has earned, and the way to move that into the balance. */
export function Invitation({ self }: { self: Self }) {
  const { t } = useTranslation()
  const code = useQuery(affCodeQuery)
  const [isTransferring, setTransferring] = useState(false)
  return (
    <Card
      title={t('personal.invitation')}
      description={t('personal.invitationHelp')}
      action={
        <Button size="xs" variant="outline" onClick={() => setTransferring(true)}>
          {t('personal.transfer')}
        </Button>
      }
    >
      <Facts
        facts={[
          { label: t('personal.affQuota'), value: <Money kind="balance" value={self.aff_quota} /> },
          { label: t('personal.affHistory'), value: <Money value={self.aff_history_quota} /> },
          { label: t('personal.affCount'), value: <Count value={self.aff_count} /> },
        ]}
      />
      <Text mt="3" mb="1" fontWeight="500" fontSize="sm">
        {t('personal.inviteLink')}
      </Text>
      <Box minH="32px">
        {code.isPending ? <SkeletonRows rows={1} height="32px" /> : null}
        {code.data ? (
          <CopyBox
            text={`${location.origin}/register?aff=${code.data}`}
            label={t('personal.copyInvite')}
          />
        ) : null}
        {code.isError ? (
          <ErrorState error={code.error} onRetry={() => void code.refetch()} />
        ) : null}
      </Box>
      {isTransferring ? (
        <TransferDialog available={self.aff_quota} onClose={() => setTransferring(false)} />
      ) : null}
    </Card>
  )
}
