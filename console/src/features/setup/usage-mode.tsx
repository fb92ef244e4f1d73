import { Box, Button, chakra, Flex, Heading, Stack, Text } from '@chakra-ui/react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/page.tsx'
import type { SetupForm } from './setup-rules.ts'

/** Dialogs are loaded by the few who ask for one. */
const NoticeDialog = lazy(async () => ({
  default: (await import('../../parts/notice-dialog.tsx')).NoticeDialog,
}))

const MODES = ['operation', 'self-use', 'demo'] as const
const NAMES = { operation: 'operation', 'self-use': 'selfUse', demo: 'demo' } as const

/** The three ways to use an installation, each with a line on what it means, and a dialog that explains them in full. */
export function UsageMode(props: {
  value: SetupForm['mode']
  onChange: (mode: SetupForm['mode']) => void
}) {
  const { t } = useTranslation()
  const [isExplaining, setExplaining] = useState(false)
  return (
    <Panel p="5">
      <Flex justify="space-between" align="center" gap="3" mb="3" wrap="wrap">
        <Heading as="h2" size="sm" id="usage-mode">
          {t('setup.mode')}
        </Heading>
        <Button size="xs" variant="outline" onClick={() => setExplaining(true)}>
          {t('setup.explain')}
        </Button>
      </Flex>
      <Stack gap="3" role="radiogroup" aria-labelledby="usage-mode">
        {MODES.map((mode) => (
          <Flex as="label" key={mode} gap="3" cursor="pointer" align="flex-start">
            <chakra.input
              type="radio"
              name="mode"
              mt="1"
              accentColor="var(--tg-colors-teal-solid)"
              checked={props.value === mode}
              onChange={() => props.onChange(mode)}
              aria-label={t(`setup.${NAMES[mode]}`)}
            />
            <Box>
              <Text fontWeight="500">{t(`setup.${NAMES[mode]}`)}</Text>
              <Text color="fg.muted">{t(`setup.${NAMES[mode]}Text`)}</Text>
            </Box>
          </Flex>
        ))}
      </Stack>
      {isExplaining ? (
        <Suspense>
          <Explanation onClose={() => setExplaining(false)} />
        </Suspense>
      ) : null}
    </Panel>
  )
}

function Explanation({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <NoticeDialog title={t('setup.explain')} onClose={onClose}>
      <Stack gap="4">
        {MODES.map((mode) => (
          <Box key={mode}>
            <Text fontWeight="600">{t(`setup.${NAMES[mode]}`)}</Text>
            <Text>{t(`setup.${NAMES[mode]}Long`)}</Text>
          </Box>
        ))}
        <Text color="fg.muted">{t('setup.changeLater')}</Text>
      </Stack>
    </NoticeDialog>
  )
}
