// Plain JavaScript, so that Node runs it without a build; the rest is TypeScript, loaded through Vite.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
import { installFolder } from '../build/install-folder.mjs'

installFolder('bench/rivals', 'what the bench compares with')
const { module } = await runnerImport(fileURLToPath(new URL('./main.ts', import.meta.url)))
await module.main(process.argv.slice(2))
