// Bytes that come at the end and are dropped at the front. It grows by realloc: a large one is mapped at another address,
// not copied, so that 16 MiB that arrive in pieces cost no turn more than the piece. Moving it keeps the bytes where they
// are, so views into it stay valid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace fastjournal {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::string_view bytes) { append(bytes); }
  Buffer(Buffer&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        size_(std::exchange(other.size_, 0U)),
        capacity_(std::exchange(other.capacity_, 0U)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0U);
    capacity_ = std::exchange(other.capacity_, 0U);
    return *this;
  }

  [[nodiscard]] char* data() { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view view() const { return {bytes_.get(), size_}; }
  // NOLINTNEXTLINE(google-explicit-constructor): as a std::string
  operator std::string_view() const { return view(); }
  // Whether `bytes` are some of its own.
  [[nodiscard]] bool contains(std::string_view bytes) const {
    std::less_equal<> const is_before;
    return !empty() && is_before(bytes_.get(), bytes.data()) &&
           is_before(bytes.data() + bytes.size(), bytes_.get() + size_);
  }

  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    if (bytes.size() > capacity_ - size_) reserve(std::max(size_ + bytes.size(), 2 * capacity_));
    std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void assign(std::string_view bytes) {
    size_ = 0;
    append(bytes);
  }
  void drop_front(std::size_t bytes) {
    size_ -= bytes;
    if (size_ != 0) std::memmove(bytes_.get(), bytes_.get() + bytes, size_);
  }
  void clear() { size_ = 0; }

  // To this capacity and no more. As operator new: std::bad_alloc, unless the new-handler finds memory.
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) resize_to(capacity);
  }
  void shrink_to_fit() {
    if (size_ == 0)
      *this = {};
    else if (size_ < capacity_)
      resize_to(size_);
  }
  // A large one in steps: while the kernel takes memory back, other threads of the process get none.
  void release() {
    while (capacity_ > kStepBytes) resize_to(capacity_ - kStepBytes);
    *this = {};
  }

 private:
  static constexpr std::size_t kStepBytes = 1U << 20U;

  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  void resize_to(std::size_t capacity) {
    void* moved = nullptr;
    while ((moved = std::realloc(bytes_.get(), capacity)) == nullptr) {
      std::new_handler const handler = std::get_new_handler();
      if (handler == nullptr) throw std::bad_alloc{};
      handler();
    }
    static_cast<void>(bytes_.release());
    bytes_.reset(static_cast<char*>(moved));
    capacity_ = capacity;
  }

  std::unique_ptr<char, Free> bytes_;
  std::size_t size_{0};
  std::size_t capacity_{0};
};

}  // namespace fastjournal
