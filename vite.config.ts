// The library build: `dist`. The demo has a configuration of its own, the tests theirs.
import { defineConfig } from 'vite'
import { clientOnly } from './build/client-only.ts'
import { minifyChunks } from './build/minify-chunks.ts'
import { sharedChunks } from './build/shared-chunks.ts'
import { workerFiles } from './build/worker-files.ts'

const entries = {
  index: 'src/index.ts',
  direct: 'src/direct.ts',
  context: 'src/context.ts',
  react: 'src/react.ts',
  vue: 'src/vue.ts',
  svelte: 'src/svelte.ts',
  solid: 'src/solid.ts',
  pi: 'src/pi.ts',
  picoclaw: 'src/picoclaw.ts',
  agently: 'src/agently.ts',
  aixgo: 'src/aixgo.ts',
  chat: 'src/chat.ts',
  'ai-sdk': 'src/ai-sdk.ts',
  'assistant-ui': 'src/assistant-ui.ts',
  'openai-agents': 'src/openai-agents.ts',
  'ag-ui': 'src/ag-ui.ts',
  langgraph: 'src/langgraph.ts',
  langchain: 'src/langchain.ts',
  'tanstack-ai': 'src/tanstack-ai.ts',
  store: 'src/store.ts',
  types: 'src/types.ts',
  identity: 'src/identity.ts',
  inspector: 'src/inspector.ts',
  testing: 'src/testing.ts',
  sync: 'src/sync.ts',
  'sync-hocuspocus': 'src/sync-hocuspocus.ts',
  'sync-websocket': 'src/sync-websocket.ts',
  'sync-broadcast': 'src/sync-broadcast.ts',
  'sync-relay': 'src/sync-relay.ts',
  'sync-encryption': 'src/sync-encryption.ts',
}

export default defineConfig({
  // In this order: what shortens the code would remove the mark.
  plugins: [workerFiles(), minifyChunks(), clientOnly()],
  publicDir: false,
  build: {
    target: 'es2022',
    lib: { entry: entries, formats: ['es'] },
    rolldownOptions: {
      // Dexie and zod stay imports: an app that has them must share its copy (two copies of Dexie on a page throw). So
      // does Yjs, two copies of which don't know each other's types. What builds on it is bundled in: no app needs to
      // install a provider that it may never load.
      // Frameworks are the app's own, of course.
      external: [/^(dexie|react|solid-js|vitest|vue|yjs|zod)($|\/)/],
      // No comments that name the sources: a page would load them.
      experimental: { attachDebugInfo: 'none' },
      // Shared chunks may be chosen freely only if entries may export more. They don't: nothing is imported from them.
      preserveEntrySignatures: 'allow-extension',
      output: {
        codeSplitting: {
          groups: [
            sharedChunks(Object.values(entries), {
              small: 1500,
              vain: 0.02,
              // What every page loads, and what it waits for.
              strict: ['index', 'react', 'vue', 'svelte', 'solid', 'client/worker/create-worker-store'].map(
                (part) => `src/${part}.ts`,
              ),
            }),
          ],
        },
        // Vite leaves the white space in libraries, though it shortens the names; pages without a bundler would load
        // it.
        minify: true,
        entryFileNames: '[name].js',
        // Beside the entries, because './worker.js' must be right from every chunk; hashed, so that none takes that
        // name.
        chunkFileNames: (chunk) => `${chunk.name.replace('_virtual_', '')}-[hash:7].js`,
      },
    },
  },
})
