import { Box, Button, Heading, Link, Text } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CopyBox } from '../../parts/copy-box.tsx'
import { Panel } from '../../parts/page.tsx'

/** Makes a system access token, shown once; the one before it stops working. */
export function AccessToken() {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const make = useMutation({
    mutationFn: () => get<string>('/api/user/token'),
    onSettled: () => setAsking(false),
  })
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="1">
        {t('personal.accessToken')}
      </Heading>
      <Text color="fg.muted" mb="3">
        {t('personal.accessTokenHelp')}{' '}
        <Link href="/api/docs" target="_blank" color="teal.fg" textDecoration="underline">
          {t('personal.apiReference')}
        </Link>
      </Text>
      {make.data ? (
        <Box mb="3">
          <CopyBox text={make.data} label={t('personal.copyAccessToken')} />
        </Box>
      ) : null}
      <Button size="sm" variant="outline" onClick={() => setAsking(true)}>
        {t('personal.makeAccessToken')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('personal.makeAccessToken')}
        consequence={t('personal.accessTokenConsequence')}
        confirmLabel={t('personal.make')}
        isBusy={make.isPending}
        onConfirm={() => make.mutate()}
        onClose={() => setAsking(false)}
      />
    </Panel>
  )
}
