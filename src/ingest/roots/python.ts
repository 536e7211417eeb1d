import type { RootRule } from '#ingest/roots/rule'

const TEST_FILE = /(?:^|\/)(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$|(?:^|\/)tests?\//

export const PYTHON: readonly RootRule[] = [
  { kind: 'language_protocol', of: 'function', name: /^__\w+__$/ },
  { kind: 'language_protocol', of: 'function', marker: /\.(?:setter|getter|deleter)$/ },
  { kind: 'pytest_hook', of: 'function', name: /^pytest_\w+$/, member: false },
  { kind: 'pytest_fixture', of: 'function', marker: /(?:^|\.)(?:fixture|yield_fixture)$/ },
  { kind: 'test_runner', of: 'any', path: TEST_FILE, name: /^(?:test(?:_\w*)?|Test\w*)$/, member: false },
  { kind: 'test_runner', of: 'function', path: TEST_FILE, name: /^test\w*$/, within: /^Test|Tests?$|TestCase$/ },
  {
    kind: 'test_runner',
    of: 'function',
    base: /(?:TestCase|TestCaseBase)$/,
    name: /^(?:test\w*|runTest|setUp|tearDown|setUpClass|tearDownClass|setUpTestData|asyncSetUp|asyncTearDown)$/,
  },
  {
    kind: 'test_runner',
    of: 'function',
    path: TEST_FILE,
    name: /^(?:(?:setup|teardown)_(?:module|function|class|method)|(?:setUp|tearDown)Module|load_tests)$/,
  },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'any',
    marker:
      /\.(?:route|get|post|put|delete|patch|head|options|trace|websocket|websocket_route|api_route|view|expose)$|^(?:route|view_config|expose)$/,
  },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'function',
    base: /(?:View|ViewSet|ViewSetMixin|Resource|RequestHandler|HTTPEndpoint|WebSocketEndpoint|Consumer|BaseHTTPRequestHandler)$/,
    name: /^(?:get|post|put|patch|delete|head|options|trace|dispatch|list|create|retrieve|update|partial_update|destroy|get_\w+|form_valid|form_invalid|perform_\w+|on_(?:connect|receive|disconnect)|connect|disconnect|receive|do_[A-Z]+|prepare|on_finish)$/,
  },
  {
    kind: 'application_hook',
    of: 'any',
    marker:
      /\.(?:before_request|after_request|teardown_request|teardown_appcontext|before_app_request|after_app_request|teardown_app_request|before_first_request|before_serving|after_serving|errorhandler|app_errorhandler|context_processor|app_context_processor|template_filter|template_global|template_test|app_template_filter|app_template_global|app_template_test|url_value_preprocessor|url_defaults|shell_context_processor|user_loader|request_loader|unauthorized_handler|middleware|exception_handler|on_event|listener|startup|shutdown|event|hook|hookimpl|on_message|callback)$|(?:^|\.)(?:hookimpl|lifespan|middleware)$/,
  },
  {
    kind: 'command_line',
    of: 'any',
    imports: /^(?:click|typer|cyclopts|asyncclick|rich_click|cloup|fire)\b/,
    marker: /(?:^|\.)(?:command|group|callback|result_callback|default)$/,
  },
  {
    kind: 'command_line',
    of: 'any',
    marker: /(?:^|\.)(?:click|typer|cli)\.(?:command|group|callback)$|(?:^|\.)app\.command$/,
  },
  {
    kind: 'task_queue',
    of: 'any',
    marker:
      /(?:^|\.)(?:shared_task|periodic_task|db_task|db_periodic_task|actor|on_after_configure|flow)$|(?:^|\.)(?:\w*app|celery|queue|huey|broker|dag|prefect)\.task$/,
  },
  {
    kind: 'task_queue',
    of: 'any',
    imports: /^(?:celery|huey|dramatiq|prefect|airflow|rq|taskiq|procrastinate|luigi)\b/,
    marker: /(?:^|\.)(?:task|job|dag)$/,
  },
  {
    kind: 'task_queue',
    of: 'function',
    base: /^(?:\w*Task|\w*Operator|\w*Job)$/,
    name: /^(?:run|execute|perform|output|requires)$/,
  },
  {
    kind: 'signal_receiver',
    of: 'any',
    marker: /(?:^|\.)(?:receiver|connect|connect_via|listens_for|listens_for_async|subscribe|subscriber|on)$/,
  },
  { kind: 'registry', of: 'any', marker: /(?:^|\.)register(?:\.\w+|_\w+)?$|(?:^|\.)(?:registry|REGISTRY)(?:\.\w+)?$/ },
  { kind: 'django_migration', of: 'any', path: /(?:^|\/)migrations\/\d{4}_\w+\.py$/ },
  {
    kind: 'django_command',
    of: 'any',
    path: /(?:^|\/)management\/commands\/\w+\.py$/,
    name: /^(?:Command|handle|add_arguments|handle_\w+|get_version)$/,
  },
  { kind: 'django_application', of: 'any', base: /^AppConfig$/, name: /^(?:ready|\w+Config)$/ },
  { kind: 'django_admin', of: 'any', base: /^(?:\w*ModelAdmin|TabularInline|StackedInline|\w*Inline)$/ },
  { kind: 'django_model', of: 'any', within: /./, name: /^Meta$/ },
  {
    kind: 'django_model',
    of: 'function',
    base: /(?:^|[a-z])Models?$|Form$|Serializer$|Manager$|QuerySet$/,
    name: /^(?:save|delete|clean(?:_\w+)?|validate(?:_\w+)?|full_clean|get_absolute_url|get_queryset|natural_key|get_by_natural_key|to_representation|to_internal_value|create|update|get_\w+)$/,
  },
  { kind: 'django_middleware', of: 'function', within: /Middleware$/, name: /^process_\w+$|^dispatch$/ },
  {
    kind: 'database_migration',
    of: 'function',
    path: /(?:^|\/)versions\/\w+\.py$/,
    name: /^(?:upgrade|downgrade)(?:_\w+)?$/,
  },
  {
    kind: 'data_model',
    of: 'function',
    marker:
      /(?:^|\.)(?:(?:field_|model_|root_)?validator|validate_call|(?:field_|model_)?serializer|computed_field|validates|validates_schema|hybrid_property|pre_load|post_load|pre_dump|post_dump|default|\w+\.(?:validator|default|expression|comparator))$/,
  },
  { kind: 'web_server', of: 'any', path: /(?:^|\/)(?:wsgi|asgi)\.py$/, name: /^(?:application|app)$/ },
  { kind: 'serverless_platform', of: 'function', name: /^lambda_handler$/, member: false },
  { kind: 'documentation_builder', of: 'function', imports: /^sphinx\b/, name: /^(?:setup|visit_\w+|depart_\w+)$/ },
  {
    kind: 'syntax_visitor',
    of: 'function',
    base: /(?:NodeVisitor|NodeTransformer|Visitor|Transformer)$/,
    name: /^(?:visit|depart|leave|generic_visit)(?:_\w+)?$/,
  },
  { kind: 'scraper', of: 'function', base: /Spider$/, name: /^(?:start|start_requests|parse\w*|from_crawler|closed)$/ },
  {
    kind: 'scraper',
    of: 'function',
    name: /^(?:process_item|open_spider|close_spider|from_crawler|from_settings|process_request|process_response|process_exception|process_spider_\w+)$/,
    member: true,
  },
]

/** Decorators that call what they are given only where it is called. */
export const PLAIN_PYTHON =
  /(?:^|\.)(?:property|setter|getter|deleter|staticmethod|classmethod|abstractmethod|abstractproperty|overload|override|final|wraps|cache|lru_cache|cached_property|singledispatch|singledispatchmethod|total_ordering|contextmanager|asynccontextmanager|dataclass|dataclass_transform|runtime_checkable|no_type_check|unique|deprecated|patch|parametrize|skip|skipif|xfail|usefixtures|coroutine|define|frozen|attrs|mutable)$|(?:^|\.)(?:mark|mock|patch|functools|typing|abc|enum|unittest|attr)\.\w+/
