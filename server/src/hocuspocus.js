// A plain Hocuspocus, for what is held against one: it is installed with the server alone.
export { Server } from '@hocuspocus/server'
