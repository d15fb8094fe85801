import { createProfile } from '../../client/support/open-port-client.ts'
import { validateSaver } from './support/validate-saver.ts'

validateSaver(
  () => createProfile().open({ name: 'graphs' }),
  (client) => client.close(),
)
