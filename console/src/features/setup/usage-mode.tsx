import { Box, chakra, Flex, Heading, Stack, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/page.tsx'
import type { SetupForm } from './setup-rules.ts'

/** The three ways to use an installation, each with what it changes said beside it. */
export function UsageMode(props: {
  value: SetupForm['mode']
  onChange: (mode: SetupForm['mode']) => void
}) {
  const { t } = useTranslation()
  const modes = [
    { value: 'operation', label: t('setup.operation'), text: t('setup.operationText') },
    { value: 'self-use', label: t('setup.selfUse'), text: t('setup.selfUseText') },
    { value: 'demo', label: t('setup.demo'), text: t('setup.demoText') },
  ] as const
  return (
    <Panel p="5" role="radiogroup" aria-labelledby="usage-mode">
      <Heading as="h2" size="sm" mb="3" id="usage-mode">
        {t('setup.mode')}
      </Heading>
      <Stack gap="3">
        {modes.map((mode) => (
          <Flex as="label" key={mode.value} gap="3" cursor="pointer" align="flex-start">
            <chakra.input
              type="radio"
              name="mode"
              mt="1"
              accentColor="var(--tg-colors-teal-solid)"
              checked={props.value === mode.value}
              onChange={() => props.onChange(mode.value)}
              aria-label={mode.label}
            />
            <Box>
              <Text fontWeight="500">{mode.label}</Text>
              <Text color="fg.muted">{mode.text}</Text>
            </Box>
          </Flex>
        ))}
      </Stack>
    </Panel>
  )
}
