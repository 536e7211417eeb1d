import { describe, expect, test } from 'vitest'
import { extract } from '#ingest/extract'
import { markersIn } from '#ingest/roots'

async function rootsOf(path: string, text: string): Promise<Record<string, string>> {
  const { definitions } = await extract(path, text)
  const found: Record<string, string> = {}
  for (const it of definitions) {
    const kinds = it.tags.filter((tag) => tag.startsWith('framework_root:')).map((tag) => tag.slice(15))
    if (kinds.length > 0) found[it.name] = kinds.join(' ')
  }
  return found
}

describe('markers', () => {
  test.each([
    ['@app.route("/books", methods=["GET"])\n', ['app.route']],
    ['@Column(@Name("x")) @Id\npublic ', ['Column', 'Id']],
    ['#[tokio::main]\n#[unsafe(no_mangle)]\npub async fn ', ['tokio.main', 'no_mangle']],
    ['[Theory, InlineData(1)]\n[return: NotNull]\npublic void ', ['Theory', 'InlineData', 'NotNull']],
    ["#[Route('/cart')]\npublic function ", ['Route']],
    ['// @Test is for later\n@Before // @After\nvoid ', ['Before']],
    ['@mark("#[test] @Test")\ndef ', ['mark']],
    ['int[] ', []],
  ])('of %j', (head, markers) => {
    expect(markersIn(head).filter((it) => it !== 'int')).toEqual(markers)
  })
})

describe('what a framework or the runtime calls is a root', () => {
  test.each([
    [
      'Python routes, commands, tasks, receivers and fixtures',
      'shop/web.py',
      `import click
import celery
@app.route("/books")
def books(): ...
@click.command()
def restock(): ...
@celery.task
def bill(): ...
@receiver(post_save)
def saved(): ...
@pytest.fixture
def till(): ...
@traced("x")
def traced_one(): ...
@functools.lru_cache
def plain(): ...
def helper(): ...
`,
      {
        books: 'http_route',
        restock: 'command_line',
        bill: 'task_queue',
        saved: 'signal_receiver',
        till: 'pytest_fixture',
        traced_one: 'decorator',
      },
    ],
    [
      'Python test cases, through a base of the same file',
      'shop/cases.py',
      `class ShopCase(unittest.TestCase):
    def setUp(self): ...
    def shelf(self): ...
class CartCase(ShopCase):
    def test_total(self): ...
    def __len__(self): ...
`,
      { setUp: 'test_runner', test_total: 'test_runner', __len__: 'language_protocol' },
    ],
    [
      'Django migrations and commands by their place',
      'shop/management/commands/restock.py',
      'class Command(BaseCommand):\n    def handle(self): ...\n    def count(self): ...\n',
      { Command: 'django_command', handle: 'django_command' },
    ],
    [
      'pytest hooks',
      'conftest.py',
      'def pytest_configure(config): ...\ndef shelf(): ...\n',
      { pytest_configure: 'pytest_hook' },
    ],
    [
      'pages by the place of their file',
      'web/app/cart/page.tsx',
      'export default function Cart() { return null }\nexport async function generateMetadata() {}\nfunction row() {}\n',
      { Cart: 'file_route', generateMetadata: 'file_route' },
    ],
    [
      'components of Angular',
      'src/cart.component.ts',
      `import { Component } from '@angular/core'
@Component({ selector: 'cart' })
export class CartComponent {
  @Input() name = ''
  constructor(private shop: Shop) {}
  ngOnInit() {}
  total() {}
}
`,
      { CartComponent: 'dependency_injection', constructor: 'language_protocol', ngOnInit: 'component_lifecycle' },
    ],
    [
      'routes handed over by name',
      'src/server.ts',
      `import { Hono } from 'hono'
const app = new Hono()
app.get('/', index)
app.post('/cart', (c) => c.json(add(c)))
function index() {}
function add(c) {}
`,
      { index: 'http_route' },
    ],
    [
      'handlers, tests and interfaces of Go',
      'shop/server.go',
      `package shop
import "net/http"
func init() {}
func Start() { http.HandleFunc("/", index) }
func index(w http.ResponseWriter, r *http.Request) {}
type Shop struct{}
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {}
func (s Shop) String() string { return "" }
func (s Shop) Total() int { return 0 }
`,
      { init: 'program_start', index: 'http_route', ServeHTTP: 'http_handler', String: 'standard_interface' },
    ],
    [
      'exported functions and tests of Rust',
      'src/lib.rs',
      '#[no_mangle]\npub extern "C" fn shop_open() {}\n#[test]\nfn sells() {}\n#[get("/cart")]\nasync fn cart() {}\n#[inline]\nfn total() {}\n',
      { shop_open: 'native_code', sells: 'test_runner', cart: 'http_route' },
    ],
    [
      'beans, routes and tests of Java',
      'src/main/java/Shop.java',
      `@RestController
class Shop {
  @GetMapping("/cart") String cart() { return ""; }
  @Bean Tax tax() { return null; }
  @BeforeEach void open() {}
  @Override public String toString() { return ""; }
  int total() { return 0; }
}
`,
      {
        Shop: 'dependency_injection',
        cart: 'http_route',
        tax: 'dependency_injection',
        open: 'test_runner',
        toString: 'language_protocol',
      },
    ],
    [
      'actions of C#',
      'Shop.cs',
      'public class CartController : Controller {\n  [HttpGet] public int Index() { return 0; }\n  private int Sum() { return 0; }\n}\nclass CartTests { [SetUp] public void Open() {} }\n',
      { Index: 'http_route', Open: 'test_runner' },
    ],
    [
      'attributes and magic methods of PHP',
      'src/Shop.php',
      "<?php\nclass Shop {\n  #[Route('/cart')]\n  public function cart() {}\n  public function __get($name) {}\n  public function total() {}\n}\n",
      { cart: 'http_route', __get: 'language_protocol' },
    ],
    [
      'controllers and magic methods of Ruby',
      'app/controllers/carts_controller.rb',
      'class CartsController < ApplicationController\n  def index\n  end\nend\n',
      { index: 'http_route' },
    ],
    [
      'exported symbols of C',
      'shop.c',
      'int main(void) { return 0; }\nint Java_Shop_open(void) { return 0; }\n__attribute__((constructor)) static void load(void) {}\nstatic int total(void) { return 0; }\n',
      { main: 'program_start', Java_Shop_open: 'native_code', load: 'native_code' },
    ],
    [
      'tests and actions of Swift',
      'Tests/CartTests.swift',
      'class CartTests: XCTestCase {\n  override func setUp() {}\n  func testTotal() {}\n  @IBAction func pay() {}\n  func sum() {}\n}\n',
      { setUp: 'test_runner', testTotal: 'test_runner', pay: 'objective_c' },
    ],
    [
      'metamethods of Lua',
      'shop.lua',
      'local Shop = {}\nfunction Shop.__index(self, key) end\nfunction Shop.total() end\n',
      { __index: 'language_protocol' },
    ],
    [
      'tests of Kotlin',
      'src/CartTest.kt',
      'class CartTest {\n  @Test\n  fun adds() {}\n  fun shelf() {}\n}\n',
      { adds: 'test_runner' },
    ],
    [
      'programs of Scala',
      'Shop.scala',
      'object Shop extends App {\n}\nclass Till {\n  override def toString(): String = ""\n  def total(): Int = 0\n}\n',
      { Shop: 'program_start', toString: 'language_protocol' },
    ],
  ])('%s', async (_, path, text, roots) => {
    expect(await rootsOf(path, text)).toEqual(roots)
  })
})
