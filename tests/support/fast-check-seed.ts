import fc from 'fast-check'
import { seedSetting } from './whole-setting.ts'

// A failing property prints its seed and path; FAST_CHECK_SEED repeats it.
fc.configureGlobal({ seed: seedSetting('FAST_CHECK_SEED') })
