/** Calls that hand a function to a framework: `router.get('/', index)`. By language. */

export interface Registration {
  kind: string
  /** Matches a module that the file imports. */
  imports: RegExp
  /** Matches the path of what is called. */
  call: RegExp
}

const ES: readonly Registration[] = [
  {
    kind: 'http_route',
    imports:
      /^(?:express|koa|koa-router|@koa\/router|hono(?:\/.*)?|fastify|restify|polka|itty-router|h3|router|elysia|find-my-way|@hapi\/hapi|oak|@oak\/oak|connect)$/,
    call: /\.(?:get|post|put|delete|del|patch|head|options|all|use|on|onError|notFound|register|addHook|route|param)$/,
  },
]

export const REGISTRATIONS: Readonly<Record<string, readonly Registration[]>> = {
  typescript: ES,
  tsx: ES,
  javascript: ES,
  python: [
    {
      kind: 'http_route',
      imports: /^(?:django\.(?:urls|conf\.urls)|starlette|aiohttp|flask|fastapi|falcon|bottle|tornado|sanic|quart)\b/,
      call: /^(?:path|re_path|url|Route|WebSocketRoute|Mount)$|\.(?:path|re_path|add_url_rule|add_route|add_api_route|add_websocket_route|add_(?:get|post|put|delete|patch|head|view|middleware|exception_handler|event_handler)|register_error_handler|before_request|after_request|teardown_appcontext)$/,
    },
  ],
  go: [
    {
      kind: 'http_route',
      imports:
        /^net\/http$|\/(?:chi|mux|gin|echo|fiber|httprouter|goji|martini|iris|beego|bunrouter|httptreemux|pat)(?:\/|$)/,
      call: /\.(?:Get|Post|Put|Delete|Patch|Head|Options|Connect|Trace|Any|GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|ANY|Handle|HandleFunc|HandlerFunc|Handler|Method|MethodFunc|MethodNotAllowed|NotFound|NoRoute|NoMethod|Use|Group|Route|With|Path|PathPrefix|ListenAndServe)$/,
    },
  ],
  rust: [
    {
      kind: 'http_route',
      imports: /^(?:axum|actix_web|warp|poem|salvo|tide|gotham|rocket|ntex)\b/,
      call: /^(?:(?:\w+\.)*(?:get|post|put|delete|patch|head|options|any|on|from_fn|from_fn_with_state|to))$|\.(?:get|post|put|delete|patch|route|nest|fallback|service|to|and_then|map|then|layer)$/,
    },
  ],
  php: [
    {
      kind: 'http_route',
      imports: /^(?:Illuminate|Slim|Laravel|FastRoute|Symfony)\b/,
      call: /^(?:Route|\w*app|\w*router|\w*group)\.(?:get|post|put|patch|delete|options|any|match|resource|map|add)$/i,
    },
  ],
}
